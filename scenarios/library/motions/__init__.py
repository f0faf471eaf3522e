"""Building blocks of references: gestures, washing, inverse kinematics, body scale."""
