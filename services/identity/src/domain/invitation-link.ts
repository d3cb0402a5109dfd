/**
 * Where an invited person reads how to join, with the token behind the `#`: browsers keep that part to
 * themselves, so it lands in no log on the way and in no Referer.
 */
export function invitationLink(public_origin: string, token: string): string {
  return `${public_origin.replace(/\/$/, '')}/docs/guides/quick-start#invitation=${token}`;
}
