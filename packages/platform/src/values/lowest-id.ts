/** No UUIDv7 made from that moment on is lower; every one made before is. */
export function lowestIdAt(at_ms: number): string {
  const hex = Math.max(0, Math.floor(at_ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** When a UUIDv7 was made, by the clock of who made it. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
