// Generated from the rows in src/upstream/operations/ by `npm run docs`; do not edit.
import type { Call } from '../client-types.ts';

/** Arguments of `cardSla.retrieveCardSlaMeasurements`. */
export interface CardSlaRetrieveCardSlaMeasurementsArguments {
  readonly path: {
    readonly card_id: number;
  };
}

/** Answer of `cardSla.retrieveCardSlaMeasurements`. */
export interface CardSlaRetrieveCardSlaMeasurementsAnswer {
  calendars: unknown;
  rulesTimeData: unknown;
}

/** Operations of `client.cardSla`. */
export interface CardSlaOperations {
  /**
   * The times measured for a card, and their calendars.
   *
   * `GET /cards/{card_id}/sla-rules-measurements`
   *
   * @param args `path`: `card_id`
   */
  readonly retrieveCardSlaMeasurements: Call<CardSlaRetrieveCardSlaMeasurementsArguments, CardSlaRetrieveCardSlaMeasurementsAnswer>;
}
