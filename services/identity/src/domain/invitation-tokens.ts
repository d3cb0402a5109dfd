/** An invitation's token of 32 random bytes. */
export function invitationToken(random: Buffer): string {
  return `svc_inv_${random.toString('base64url')}`;
}
