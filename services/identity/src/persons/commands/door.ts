import type { Environment } from '@credit/platform/context';
import { forbidden } from '@credit/platform/errors';
import type { Config } from '../../config';

/** 403 while the network lets nobody at the own file, which it may do with live data alone. */
export function requireOpenDoor(
  { PERSON_DOOR }: Pick<Config, 'PERSON_DOOR'>,
  environment: Environment,
): void {
  if (PERSON_DOOR || environment === 'test') return;
  throw forbidden('This network does not show people their own files here.', {
    reason: 'PERSON_DOOR_CLOSED',
  });
}
