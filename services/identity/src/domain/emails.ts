/** An e-mail as it is compared: the network has one user for it, however it is written. */
export function emailKey(email: string): string {
  return email.trim().normalize('NFKC').toLowerCase();
}
