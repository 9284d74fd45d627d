import type { Tracer, TracerOptions } from './tracer.ts';

/** Creates a tracer. The exporter's libraries are loaded with the first tracer, because most servers have none. */
export async function openTracer(options: TracerOptions): Promise<Tracer> {
  const { Tracer } = await import('./tracer.ts');
  return new Tracer(options);
}
