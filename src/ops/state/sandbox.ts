import { ok, problem, route } from '../http/route.ts';
import type { OpsSources } from '../sources.ts';

/** The request for the embedded sandbox. */
export const sandboxRoute = route({
  method: 'get',
  path: '/sandbox',
  tag: 'State',
  summary: 'Where the embedded sandbox is, for its controls: docs/sandbox.md.',
  answers: { 200: 'Sandbox', 404: 'Problem' },
  handle: async ({ sandbox }: OpsSources, { operator }) =>
    sandbox === undefined
      ? problem(404, 'no-sandbox', 'The bridge stands before a real service.')
      : ok({ url: sandbox.url, token: operator.purpose === 'operator' ? sandbox.token : null }),
});
