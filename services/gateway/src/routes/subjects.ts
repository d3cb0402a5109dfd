import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

export function subjectRoutes({
  reporting,
}: Clients): HandlersOf<
  'createSubject' | 'updateSubject' | 'searchSubjects' | 'getSubject' | 'getSubjectByGameUuid'
> {
  return {
    createSubject: async ({ ctx, body }) =>
      present((await reporting.createSubject(ctx, body)).subject),
    updateSubject: async ({ ctx, params, body }) =>
      present((await reporting.updateSubject(ctx, { ...params, ...body })).subject),
    searchSubjects: async ({ ctx, query }) => {
      const { subjects, next_cursor } = await reporting.searchSubjects(ctx, query);
      return { items: subjects, next_cursor };
    },
    getSubject: async ({ ctx, params }) =>
      present((await reporting.getSubject(ctx, params)).subject),
    getSubjectByGameUuid: async ({ ctx, params }) =>
      present((await reporting.getSubjectByGameUuid(ctx, params)).subject),
  };
}
