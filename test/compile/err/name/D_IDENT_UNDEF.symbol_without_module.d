/* args: -xworld=user */
BEGIN { trace(`freemem); }
