/** A file that a page loads first. */
export interface FirstLoad {
  /** Module that is loaded for this page alone, from the folder `ui`. */
  readonly module: string;
  /** Paths below `/ops`. */
  readonly reads: readonly string[];
}

/** Reads of the frame of every page. */
export const FRAME_READS = ['/plans?status=held&limit=100', '/status'];

/**
 * What each page loads first, by its address without filters. The bridge names it in the page that it sends, so that
 * the browser asks for all of it at once instead of step by step.
 */
export const FIRST_LOADS: Readonly<Record<string, FirstLoad>> = {
  '/': { module: 'overview/charts.tsx', reads: ['/samples'] },
  '/plans': {
    module: 'lists/pages.tsx',
    reads: ['/plans?limit=200', '/plans/first-run?limit=1'],
  },
  '/plans/{id}': {
    module: 'plans/plan-page.tsx',
    reads: ['/plans/{id}/actions?limit=200', '/plans/{id}/parts?limit=1000', '/plans/{id}'],
  },
  '/drifts': { module: 'drifts/drifts-page.tsx', reads: ['/drifts?limit=200&status=undecided'] },
  '/unmanaged': {
    module: 'drifts/drifts-page.tsx',
    reads: ['/unmanaged?limit=200&status=undecided'],
  },
  '/users': { module: 'lists/pages.tsx', reads: ['/users?limit=200'] },
  '/users/{id}': { module: 'resources/resource-page.tsx', reads: toResourceReads('users') },
  '/groups': { module: 'lists/pages.tsx', reads: ['/groups?limit=200'] },
  '/groups/{id}': {
    module: 'resources/resource-page.tsx',
    reads: [...toResourceReads('groups'), '/groups/{id}/members?limit=200'],
  },
  '/requests': { module: 'lists/pages.tsx', reads: ['/requests?limit=200'] },
  '/leavers': { module: 'lists/pages.tsx', reads: ['/leavers?limit=200'] },
  '/credentials': {
    module: 'credentials/credentials-page.tsx',
    reads: ['/tokens?limit=200', '/clients?limit=200', '/sessions?limit=200'],
  },
  '/acts': { module: 'lists/pages.tsx', reads: ['/acts?limit=200'] },
  '/providers': { module: 'lists/pages.tsx', reads: ['/providers?limit=200'] },
  '/notifications': { module: 'lists/pages.tsx', reads: ['/notifications?limit=200'] },
  '/settings': { module: 'lists/pages.tsx', reads: ['/settings?limit=200'] },
  '/set-up': {
    module: 'set-up/set-up-page.tsx',
    reads: ['/tokens?state=live&limit=1000', '/clients?state=live&limit=1000'],
  },
};

function toResourceReads(type: 'users' | 'groups'): string[] {
  return [
    `/${type}/{id}/explain`,
    '/drifts?status=active&resource={id}&limit=100',
    `/${type}/{id}/timeline?limit=200`,
  ];
}
