/** `PLATFORM_ADMIN` as people read it. */
export function words(name: string): string {
  const text = name.replace(/^SVC_/, '').replaceAll('_', ' ').toLowerCase();
  return (text.charAt(0).toUpperCase() + text.slice(1)).replace(/\bapi\b/i, 'API');
}
