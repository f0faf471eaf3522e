"""Building blocks of loads: schedules, and how much a robot can hold."""
