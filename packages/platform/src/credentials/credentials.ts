import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

// What a bearer secret looks like. The gateway uses it to refuse a mistyped
// secret without a look-up, identity to make new ones.

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 43;
const CHECKSUM_LENGTH = 6;

const API_KEY = /^svc_(?:live|test)_[0-9A-Za-z]{49}$/;
const ACCESS_TOKEN = /^svc_at_[0-9A-Za-z]{43}$/;
const REFRESH_TOKEN = /^svc_rt_[0-9A-Za-z]{43}$/;
const DISPUTE_TOKEN = /^svc_dt_[0-9A-Za-z]{43}$/;
const PERSON_TOKEN = /^svc_pt_[0-9A-Za-z]{43}$/;
const ACCESS_LINK_TOKEN = /^svc_al_[0-9A-Za-z]{43}$/;
const CONTACT_TOKEN = /^svc_pc_[0-9A-Za-z]{43}$/;
const SIGN_IN_TOKEN = /^svc_si_[0-9A-Za-z]{43}$/;

/** The part of a key that may be shown: its environment and 7 characters. */
export const API_KEY_PREFIX_LENGTH = 16;

/** A well-formed bearer secret. */
export interface Credential {
  kind: 'api_key' | 'access_token' | 'person_token';
  secret: string;
}

/** Six base62 characters of the CRC32 of the text before them. */
export function apiKeyChecksum(text: string): string {
  let rest = crc32(text);
  let checksum = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    checksum = ALPHABET[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return checksum;
}

/** True for the shape and checksum of a key; whether it exists is identity's to say. */
export function isApiKey(secret: string): boolean {
  if (!API_KEY.test(secret)) return false;
  const end = secret.length - CHECKSUM_LENGTH;
  return apiKeyChecksum(secret.slice(0, end)) === secret.slice(end);
}

export function isAccessToken(secret: string): boolean {
  return ACCESS_TOKEN.test(secret);
}

export function isRefreshToken(secret: string): boolean {
  return REFRESH_TOKEN.test(secret);
}

/** Of a link by which a member lets a person at the own file, once. */
export function isAccessLinkToken(secret: string): boolean {
  return ACCESS_LINK_TOKEN.test(secret);
}

/** Of a mail that confirms where a person is told of its own file, once. */
export function isContactToken(secret: string): boolean {
  return CONTACT_TOKEN.test(secret);
}

/** Of a person's sign-in that is on its way through the identity provider. */
export function isSignInToken(secret: string): boolean {
  return SIGN_IN_TOKEN.test(secret);
}

function bearerOf(header: string | undefined): string | undefined {
  if (header === undefined || !/^bearer /i.test(header)) return undefined;
  return header.slice('bearer '.length).trim();
}

/**
 * Reads an Authorization header; undefined when it holds no well-formed bearer
 * secret, so that nothing malformed is ever looked up.
 */
export function parseAuthorization(header: string | undefined): Credential | undefined {
  const secret = bearerOf(header);
  if (secret === undefined) return undefined;
  if (isApiKey(secret)) return { kind: 'api_key', secret };
  if (isAccessToken(secret)) return { kind: 'access_token', secret };
  if (PERSON_TOKEN.test(secret)) return { kind: 'person_token', secret };
  return undefined;
}

/** Reads the token of a dispute's opener from an Authorization header in the same way. */
export function parseDisputeToken(header: string | undefined): string | undefined {
  const secret = bearerOf(header);
  return secret !== undefined && DISPUTE_TOKEN.test(secret) ? secret : undefined;
}

// 43 characters of 62 hold 256 bits. randomInt is free of modulo bias.
function randomText(): string {
  let text = '';
  for (let i = 0; i < RANDOM_LENGTH; i++) text += ALPHABET[randomInt(ALPHABET.length)];
  return text;
}

export function newApiKey(environment: 'live' | 'test'): string {
  const text = `svc_${environment}_${randomText()}`;
  return text + apiKeyChecksum(text);
}

export function newAccessToken(): string {
  return `svc_at_${randomText()}`;
}

export function newRefreshToken(): string {
  return `svc_rt_${randomText()}`;
}

/** For whoever opens a dispute, to see what becomes of it. */
export function newDisputeToken(): string {
  return `svc_dt_${randomText()}`;
}

/** For the session of a person at the own file. */
export function newPersonToken(): string {
  return `svc_pt_${randomText()}`;
}

/** For a link by which a member lets a person at the own file. */
export function newAccessLinkToken(): string {
  return `svc_al_${randomText()}`;
}

/** For whoever begins a person's sign-in, to end it. */
export function newSignInToken(): string {
  return `svc_si_${randomText()}`;
}

/** For a mail that confirms where a person is told of its own file. */
export function newContactToken(): string {
  return `svc_pc_${randomText()}`;
}

/** What is stored of a secret, and sent to identity in its place. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
