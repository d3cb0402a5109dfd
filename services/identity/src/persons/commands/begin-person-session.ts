import type { Environment } from '@credit/platform/context';
import { hashSecret, newPersonToken } from '@credit/platform/credentials';
import type { Transaction } from '@credit/platform/db';
import { tellAudit } from '../../commands/tell';
import type { Dependencies } from '../../dependencies';
import { insertPersonSession, type Proof } from '../store/person-sessions';

/** What a session's person is given, once. */
export interface PersonTokens {
  readonly access_token: string;
  readonly expires_in: number;
  readonly subject_id: string;
  readonly environment: Environment;
}

/** Lets the person of one subject in, who has proven to be that. */
export async function beginPersonSession(
  tx: Transaction,
  deps: Pick<Dependencies, 'clock' | 'config' | 'newId'>,
  proven: {
    readonly subject_id: string;
    readonly environment: Environment;
    readonly proof: Proof;
    readonly access_link_id?: string;
  },
): Promise<PersonTokens> {
  const { subject_id, environment, proof, access_link_id } = proven;
  const { PERSON_SESSION_LIFETIME_S: lifetime_s } = deps.config;
  const access_token = newPersonToken();
  const id = deps.newId();
  await insertPersonSession(tx, {
    id,
    token_hash: hashSecret(access_token),
    subject_id,
    environment,
    proof,
    access_link_id,
    lifetime_s,
  });
  tellAudit(tx, deps.clock, {
    institution_id: undefined,
    action: 'person_session.begun',
    target_type: 'person_session',
    target_id: id,
    changes: { environment, proof, access_link_id: access_link_id ?? null },
    actor: { type: 'person', id: subject_id },
  });
  return { access_token, expires_in: lifetime_s, subject_id, environment };
}
