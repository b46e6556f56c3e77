/* SPDX-License-Identifier: MIT */
provider 5 {
};

BEGIN
{
}
