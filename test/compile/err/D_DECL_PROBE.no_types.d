provider p {
	probe x;
};
