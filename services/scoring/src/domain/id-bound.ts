/** Before every UUIDv7 that is made from this time on, after those made before. */
export function idBound(at_ms: number): string {
  const hex = at_ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
