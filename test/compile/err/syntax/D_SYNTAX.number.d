BEGIN { x = 12abc; }
