def main():
    gb.create_task("From main")
    print("main ran")

if __name__ == "__main__":
    main()
