def is_prime(n):
    if n < 2:
        return False
    return all(n % d for d in range(2, int(n ** 0.5) + 1))

primes = [n for n in range(60) if is_prime(n)]
primes
