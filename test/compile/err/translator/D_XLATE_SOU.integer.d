translator int < int *p > {
};
