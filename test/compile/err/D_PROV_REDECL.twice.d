provider p { probe x(int); };
provider p { probe y(int); };
