import { toPage } from '../http/list-query.ts';
import { ok, problem, route } from '../http/route.ts';
import { SETTINGS } from '../lists/plans.ts';
import type { OpsSources } from '../sources.ts';

/** The request for the settings in effect. */
export const settingsRoute = route({
  ...SETTINGS,
  async handle({ settings }: OpsSources, { query }) {
    const { from: wanted, q = '' } = query.filters;
    const text = q.toLowerCase();
    const all = settings.filter(({ name, variable, from }) => {
      const isNamed = [name, variable].some((word) => word.toLowerCase().includes(text));
      return isNamed && (wanted === undefined || from === wanted);
    });
    return ok(toPage(all, query));
  },
});

/** The request for the embedded sandbox. */
export const sandboxRoute = route({
  method: 'get',
  path: '/sandbox',
  tag: 'State',
  summary: 'Where the embedded sandbox is, for its controls: docs/command-line.md#sandbox.',
  answers: { 200: 'Sandbox', 404: 'Problem' },
  handle: async ({ sandbox }: OpsSources, { operator }) =>
    sandbox === undefined
      ? problem(404, 'no-sandbox', 'The bridge stands before a real service.')
      : ok({ url: sandbox.url, token: operator.purpose === 'operator' ? sandbox.token : null }),
});
