import { toTransportOptions } from '../app/settings.ts';
import { SettingsError } from '../settings/errors.ts';
import type { Settings } from '../settings/schema.ts';
import { createTransport, type Transport, type TransportOptions } from '../upstream/transport.ts';

/**
 * Opens a way to the service of the settings, past any bridge, at the rate that is set. `isReading`: nothing is changed.
 * @param words what to set where the settings name no service. @throws SettingsError with them
 */
export function openService(
  settings: Settings,
  words: string,
  deps: Pick<TransportOptions, 'clock' | 'random'> & { readonly isReading: boolean },
): Transport {
  const { url, token, requestsPerSecond } = settings.upstream;
  if (url === undefined || token === undefined)
    throw new SettingsError([{ setting: 'upstream.url', message: words }]);
  const target = { baseUrl: url, findToken: () => token, identity: url, requestsPerSecond };
  const { isReading, ...others } = deps;
  const refused = isReading || settings.mode === 'observe' ? 'observe-mode' : undefined;
  const options = toTransportOptions(settings, target);
  return createTransport({ ...options, ...others, hooks: { writesRefused: () => refused } });
}
