class BudgetError(Exception):
    pass

def spend(amount, left):
    if amount > left:
        raise BudgetError(f"{amount} is more than {left}")
    return left - amount

try:
    spend(50, 20)
except BudgetError as error:
    print("Refused:", error)
