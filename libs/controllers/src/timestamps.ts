import { formatTime } from '@apichain/go-text';

/** A time in an object, which may be absent. */
export type Time = string | null | undefined;

/** A time in an object in milliseconds since 1970. Undefined for a time that is not set. */
export const milliseconds = (time: Time): number | undefined =>
  time === undefined || time === null ? undefined : Date.parse(time);

/** Milliseconds since 1970 as a metav1.Time, in whole seconds. */
export const timestamp = (time: number): string => formatTime(new Date(time));
