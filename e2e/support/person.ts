import type { Client } from '@credit/local/demo/client';

/** Lets the person of a subject in by a link that a member gives; the client has the session. */
export async function letIn(
  anonymous: Client,
  member: Client,
  subject_id: string,
): Promise<Client> {
  const link = await member.create(`/subjects/${subject_id}/access-links`, undefined);
  const session = await anonymous.create('/my/session', { token: link.token });
  return anonymous.as(session.access_token);
}
