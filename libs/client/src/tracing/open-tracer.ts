import type { Tracer, TracerOptions } from './tracer.ts';

/** What exporting takes is loaded with the first tracer: most servers have none. */
export async function openTracer(options: TracerOptions): Promise<Tracer> {
  const { Tracer } = await import('./tracer.ts');
  return new Tracer(options);
}
