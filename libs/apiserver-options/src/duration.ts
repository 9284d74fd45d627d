import { DurationError, parseDuration } from '@apichain/go-text';

/** Milliseconds of a Go duration such as `1m30s`, or the text of Go's error: https://pkg.go.dev/time#ParseDuration */
export function parseGoDuration(text: string): number | string {
  try {
    return Number(parseDuration(text)) / 1e6;
  } catch (error) {
    if (error instanceof DurationError) return error.message;
    throw error;
  }
}
