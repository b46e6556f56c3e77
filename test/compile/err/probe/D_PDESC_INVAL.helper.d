dtrace:helper:ustack:, dtrace:::BEGIN { this->x = 1; }
