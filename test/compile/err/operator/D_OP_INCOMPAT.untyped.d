this y;
BEGIN { this->y = execname; }
