import { SubjectOutcome } from '@credit/proto/reporting/v1/reporting';
import type { Clients } from '../clients';
import { type HandlersOf, present } from '../handler';

/** How the public API says it. */
const STATUSES = {
  [SubjectOutcome.UNSPECIFIED]: 'needs_review',
  [SubjectOutcome.CREATED]: 'created',
  [SubjectOutcome.EXISTING]: 'existing',
  [SubjectOutcome.NEEDS_REVIEW]: 'needs_review',
} as const;

export function subjectRoutes({
  reporting,
}: Clients): HandlersOf<
  | 'createSubject'
  | 'createSubjects'
  | 'updateSubject'
  | 'searchSubjects'
  | 'getSubject'
  | 'getSubjectByGameUuid'
> {
  return {
    createSubject: async ({ ctx, body }) =>
      present((await reporting.createSubject(ctx, body)).subject),
    createSubjects: async ({ ctx, body }) => {
      const { subjects } = await reporting.createSubjects(ctx, body);
      return {
        subjects: subjects.map(({ outcome, ...subject }) => ({
          status: STATUSES[outcome],
          ...subject,
        })),
      };
    },
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
