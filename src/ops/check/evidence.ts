import type { Settings } from '../../settings/schema.ts';
import type { Survey } from './survey.ts';
import type { Traffic } from './traffic.ts';

/** The settings of a bridge that has a service. */
export interface ServiceSettings extends Omit<Settings['upstream'], 'url' | 'token'> {
  readonly url: string;
  readonly token: string;
}

/** All that a probe judges by: what was set, what the service showed, what its answers carried. */
export interface Evidence {
  readonly settings: ServiceSettings;
  readonly survey: Survey;
  readonly traffic: Traffic;
}
