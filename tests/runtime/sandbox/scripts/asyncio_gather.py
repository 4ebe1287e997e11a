import asyncio


async def double(n):
    await asyncio.sleep(0.001)
    return n * 2

async def main():
    return await asyncio.gather(*(double(n) for n in range(4)))

print(asyncio.run(main()))
