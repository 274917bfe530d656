import type { Settings } from '../../settings/schema.ts';
import type { Survey } from './survey.ts';
import type { Traffic } from './traffic.ts';

/** The settings of a bridge that has a service. */
export interface ServiceSettings extends Omit<Settings['upstream'], 'url' | 'token'> {
  readonly url: string;
  readonly token: string;
}

/** The evidence of a probe: the settings, the answers of the service, and their headers. */
export interface Evidence {
  readonly settings: ServiceSettings;
  readonly survey: Survey;
  readonly traffic: Traffic;
}
