/** Whether the text is an absolute URL of one of the schemes, with a host. */
export function isAbsoluteUrl(text: string, schemes: readonly string[]): boolean {
  const url = URL.parse(text);
  return url !== null && url.host !== '' && schemes.includes(url.protocol.slice(0, -1));
}
