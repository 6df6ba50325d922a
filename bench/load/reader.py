"""Watches many tables and reads along, until it is stopped: `python reader.py PORT TABLE ...`"""

import asyncio
import sys

from wire import connect


async def main() -> None:
    port, *tables = sys.argv[1:]
    lines = [
        await connect("127.0.0.1", int(port), f"/api/tables/{table}/socket") for table in tables
    ]
    for line in lines:
        line.send(b'{"do": "hello"}')
    print("here", flush=True)
    await asyncio.sleep(600)


asyncio.run(main())
