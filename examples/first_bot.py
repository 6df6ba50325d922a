"""An outside bot in a few lines: `qwixx play classic --with "exec:python examples/first_bot.py"`.

It reads one question a line and answers one move a line. This one takes the
last move on the list, whatever it is; make it better.
"""

import json
import sys

for line in sys.stdin:
    question = json.loads(line)
    print(json.dumps({"move": question["legal"][-1]}), flush=True)
