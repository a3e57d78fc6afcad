#!/usr/bin/env bash
# The programs of tests/programs behave under the recorder as they do natively, and exactly what their
# heads say is reported: by gcc and clang, at -O0 and -O2 in turn.  (run.sh without --rotate has all
# of them built in all four ways; scripts/programs_campaign.sh records them many times.)
exec bash "$FOREWEAVE_SOURCE/tests/programs/run.sh" --rotate
