"""Running a scenario: in lock-step, or against the wall clock."""
