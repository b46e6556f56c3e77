/* SPDX-License-Identifier: MIT */
/* @@needs: types */
/* Structures that C programs pass to system calls have their members where programs have them. */
#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", sizeof (struct timespec), offsetof (struct timespec, tv_nsec), sizeof (timespec_t));
	printf("%d %d %d\n", sizeof (struct timeval), offsetof (struct timeval, tv_usec), sizeof (timeval_t));
	printf("%d %d\n", sizeof (struct itimerspec), offsetof (struct itimerspec, it_value));
	printf("%d %d\n", sizeof (struct itimerval), offsetof (struct itimerval, it_value));
	printf("%d %d\n", sizeof (struct timex), offsetof (struct timex, tick));
	printf("%d %d\n", sizeof (struct utsname), offsetof (struct utsname, machine));
	printf("%d %d\n", sizeof (struct sockaddr_storage), offsetof (struct sockaddr_storage, ss_family));
	printf("%d\n", offsetof (struct dirent, d_name));
	printf("%d %d\n", sizeof (struct stat), offsetof (struct stat, st_size));
	printf("%d %d\n", sizeof (struct user_msghdr), offsetof (struct user_msghdr, msg_flags));
	printf("%d %d %d\n", sizeof (struct msqid64_ds), sizeof (struct semid64_ds), sizeof (struct shmid64_ds));
	exit(0);
}
