/* SPDX-License-Identifier: MIT */
provider string_of, probe {
};

BEGIN
{
}
