import type { ShownSetting } from '../../settings/shown.ts';
import { parseSeq } from '../http/list-query.ts';
import { ok, route } from '../http/route.ts';

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
  async handle({ settings }: { readonly settings: readonly ShownSetting[] }, { query }) {
    const { limit, cursor, filters } = query;
    const all = settings.filter(({ from }) => filters.from === undefined || from === filters.from);
    const begin = parseSeq(cursor, 0);
    const end = begin + limit;
    const nextCursor = end < all.length ? String(end) : null;
    return ok({ items: all.slice(begin, end), nextCursor });
  },
});
