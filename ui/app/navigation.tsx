import { NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { countDrifts } from '../../src/ops/lists/details.ts';
import { STATUS_TOPICS, useRead } from '../api/queries.ts';
import type { Ops } from '../api/types.ts';
import { Count } from '../parts/tag.tsx';

const PAGES = [
  { to: '/', label: 'Overview' },
  { to: '/plans', label: 'Plans' },
  { to: '/drifts', label: 'Drifts' },
  { to: '/unmanaged', label: 'Unmanaged' },
  { to: '/users', label: 'Users' },
  { to: '/groups', label: 'Groups' },
  { to: '/leavers', label: 'Leavers' },
  { to: '/requests', label: 'Requests' },
  { to: '/credentials', label: 'Credentials' },
  { to: '/providers', label: 'Providers' },
  { to: '/notifications', label: 'Notifications' },
  { to: '/acts', label: 'Acts' },
  { to: '/settings', label: 'Settings' },
  { to: '/set-up', label: 'Set-up' },
] as const;

/** Pages of the console, with what waits for an operator beside them. */
export function Navigation() {
  const held = useRead('PlanList', '/plans?status=held&limit=100', { topics: ['plans'] });
  const status = useRead('Status', '/status', { topics: STATUS_TOPICS });
  const waiting: Readonly<Record<string, string | undefined>> = {
    '/plans': toCount(held.data),
    '/drifts': status.data && toDrifts(status.data),
  };
  return PAGES.map(({ to, label }) => (
    <NavLink
      key={to}
      label={label}
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

/** Differences that wait for a decision. */
function toDrifts(status: Ops<'Status'>): string | undefined {
  const { count } = countDrifts(status, 'open', 'contested');
  return count === 0 ? undefined : count.toLocaleString('en');
}

function toCount(
  list: { readonly items: readonly unknown[]; readonly nextCursor: string | null } | undefined,
): string | undefined {
  if (list === undefined || list.items.length === 0) return undefined;
  return `${list.items.length}${list.nextCursor === null ? '' : '+'}`;
}
