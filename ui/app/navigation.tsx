import { NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { countDrifts } from '../../src/ops/lists/details.ts';
import { toTitle } from '../../src/ops/lists/words.ts';
import { useRead, useStatus } from '../api/queries.ts';
import { Count } from '../parts/cell.tsx';

const PAGES = [
  ...(['/', '/plans', '/drifts', '/unmanaged', '/users', '/groups', '/leavers'] as const),
  ...(['/requests', '/credentials', '/providers', '/notifications', '/acts'] as const),
  ...(['/settings', '/set-up'] as const),
];

/** Pages of the console, with what waits for an operator beside them. */
export function Navigation() {
  const held = useRead('PlanList', '/plans?status=held&limit=100').data;
  const status = useStatus().data;
  const drifts = status === undefined ? 0 : countDrifts(status, 'open', 'contested').count;
  const plans = held === undefined ? 0 : held.items.length;
  const waiting: Readonly<Record<string, string | false>> = {
    '/plans': plans > 0 && `${plans}${held?.nextCursor ? '+' : ''}`,
    '/drifts': drifts > 0 && drifts.toLocaleString('en'),
  };
  return PAGES.map((to) => (
    <NavLink
      key={to}
      label={to === '/' ? 'Overview' : toTitle(to.slice(1))}
      rightSection={waiting[to] && <Count text={waiting[to]} />}
      renderRoot={(props) => (
        <Link
          {...props}
          to={to}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          activeProps={{ 'data-active': true, 'aria-current': 'page' }}
        />
      )}
    />
  ));
}
