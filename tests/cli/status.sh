#!/usr/bin/env bash
# `status -f json`: the members that docs/status.md promises, and the numbers of the text.
source "$(dirname "$0")/setup.sh"
cd "$D"
w() { "$WARPSWEEP" "$@"; }
fake() { WARPSWEEP_FAKE=$1 w run --kernel copy --set stride=1,2,4,8 --set vector=1,2,4 -o "$2" --backend fake "${@:3}" >log 2>&1 || (($? == 1)) || fail "$(<log)"; }
fake '' good.h5
fake 'fail:stride=4' bad.h5
fake 'uncount:stride=2,vector=2' uncounted.h5
fake 'lack:stride=2' lack.h5 --share 1/2
cp good.h5 'odd "name".h5'
for file in good bad uncounted lack s 'odd "name"'; do
    w status "$file.h5" >"$file.txt" || true
    w status "$file.h5" -f json >"$file.json" || true
done
python3 - "$SOURCE/docs/status.md" <<'PYTHON'
import json
import re
import sys

STATUSES = ["ok", "unsupported", "failed", "crashed", "timed_out", "unavailable"]
MEMBERS = {"points": ["of", "done", "failed", "left", "missing", "retry", "lack_processes", "lack_counters", "by_status", "by_counters"],
           "processes": ["asked", "all_devices", "left"], "share": ["number", "of", "planned"],
           "run": ["state", "runs", "journal_rows", "journal_age_seconds", "journal_damages", "journal_rows_lost"],
           "kernels": ["kernel", "by_status"], "devices": ["device", "name", "backend", "host", "uuid", "driver", "rows"],
           "failures": ["id", "kernel", "canary", "status", "message"], "notes": ["run", "note", "text"],
           "reasons": ["reason", "count", "text"]}
page = open(sys.argv[1], encoding="utf-8").read()
table = page[page.index("## JSON"):]
documented = [name for names in re.findall(r"^\| (`[^|]*) \|", table, re.M) for name in re.findall(r"`(\w+)`", names)]
words = re.findall(r"^\| `(\w+)` \|", page[:page.index("## status")], re.M)
found = {}
for file in ("good", "bad", "uncounted", "lack", "s", 'odd "name"'):
    one = found[file] = json.load(open(f"{file}.json", encoding="utf-8"))
    text = open(f"{file}.txt", encoding="utf-8").read()
    assert list(one) == documented, (file, list(one), documented)
    for name, members in MEMBERS.items():
        for part in one[name] if isinstance(one[name], list) else [one[name]]:
            assert list(part) == members, (name, part)
            assert all(f"`{member}`" in table for member in members), name
    points = one["points"]
    first = f"{one['file']}: {points['done']} of {points['of']} points done"
    first += f", {points['failed']} of them failed" * bool(points["failed"]) + f", {points['left']} left\n"
    assert text.startswith(first), (first, text)
    assert list(points["by_status"]) == STATUSES and sum(points["by_status"].values()) == points["of"] - points["missing"]
    assert sum(points["by_counters"].values()) == points["by_status"]["ok"]
    assert points["done"] + points["left"] == points["of"]
    assert one["good"] == (not one["reasons"]) == ("\ngood\n" in text)
    assert (one["next"] == "nothing") == one["good"]
    for reason in one["reasons"]:
        assert reason["reason"] in words and f"  {reason['reason']}: {reason['text']}\n" in text, (reason, text)
    assert one["good"] or f"next: {one['next_text']}\n" in text
    assert sum(device["rows"] for device in one["devices"]) > 0 and one["run"]["state"] == "closed"
    for kernel in one["kernels"]:
        assert re.search(rf"^{kernel['kernel']} +{' +'.join(map(str, kernel['by_status'].values()))}$", text, re.M)
    for failure in one["failures"]:
        assert f"  {failure['id']} {failure['status']}: {failure['message']}" in text
assert found['odd "name"'] == {**found["good"], "file": 'odd "name".h5'}
assert [reason["reason"] for reason in found["bad"]["reasons"]] == ["failed"] and len(found["bad"]["failures"]) == 3
assert [reason["reason"] for reason in found["uncounted"]["reasons"]] == ["counters_failed"]
assert found["uncounted"]["points"]["by_counters"]["failed"] == 1 and found["uncounted"]["next"] == "retry_failed"
assert found["lack"]["share"] == {"number": 1, "of": 2, "planned": 12} and found["lack"]["points"]["of"] == 6
assert found["lack"]["good"] and found["lack"]["points"]["by_status"]["unsupported"] > 0
assert found["s"]["remaining_seconds"] is None or found["s"]["remaining_seconds"] > 0
PYTHON
