import { toPage } from '../http/list-query.ts';
import { ok, route } from '../http/route.ts';
import type { OpsSources } from '../sources.ts';

/** The request for the settings in effect. */
export const settingsRoute = route({
  method: 'get',
  path: '/settings',
  tag: 'State',
  summary:
    'The settings of the process that answers, without secrets, in the order of the documents.',
  filters: { from: ['default', 'file', 'environment', 'secret-file'] },
  meanings: { from: 'Only those whose value comes from there.' },
  answers: { 200: 'SettingList' },
  async handle({ settings }: OpsSources, { query }) {
    const { from: wanted } = query.filters;
    const all = settings.filter(({ from }) => wanted === undefined || from === wanted);
    return ok(toPage(all, query));
  },
});
