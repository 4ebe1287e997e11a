from functools import wraps


def logged(function):
    @wraps(function)
    def inner(*args):
        gb.log(f"{function.__name__}{args}")
        return function(*args)
    return inner

@logged
def add(a, b):
    return a + b

add(2, 3)
