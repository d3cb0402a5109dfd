const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Names nothing: what a dry run shows in place of an id that would be made. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Whether a text is a UUID of any version, in letters of either case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
