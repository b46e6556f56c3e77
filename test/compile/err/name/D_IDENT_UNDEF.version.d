#pragma D option version=1.1.0
BEGIN { x = ucaller; }
