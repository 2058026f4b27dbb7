import { ApiError, type ApiResponse } from '@outrigger/core';
import { fieldsOf, listOf, textOf, type Fields } from '../registry/draft.js';
import type { RequestContext } from './context.js';
import { bodyResponse } from './responses/respond.js';
import { stored } from './verbs/get.js';

/** Handles `kubectl logs`. Containers are simulated, so the log of a started container has a single line, which reports the start. */
export async function answerLog(context: RequestContext): Promise<ApiResponse> {
  const pod = (await stored(context)) as unknown as Fields;
  const container = chosenContainer(context, pod);
  const name = String(container['name']);
  const startedAt = startOf(pod, name) ?? waiting(context, pod, name);
  if (context.query.flag('previous')) {
    throw new ApiError('BadRequest', `previous terminated container "${name}" in pod "${context.path.name}" not found`);
  }
  const line = `simulated: container ${name} of image ${String(container['image'] ?? '')} started\n`;
  const isCut = context.query.text('tailLines') === '0';
  const text = isCut ? '' : context.query.flag('timestamps') ? `${startedAt} ${line}` : line;
  return bodyResponse(text, 200, 'text/plain');
}

function chosenContainer({ query, path }: RequestContext, pod: Fields): Fields {
  const spec = fieldsOf(pod, 'spec');
  const containers = listOf(spec, 'containers');
  const wanted = query.text('container') ?? '';
  const [first, second] = containers;
  if (wanted === '' && first !== undefined && second === undefined) return first;
  const names = containers.map(({ name }) => String(name));
  if (wanted === '') {
    throw new ApiError('BadRequest', `a container name must be specified for pod ${path.name}, choose one of: [${names.join(' ')}]`);
  }
  const found = [...containers, ...listOf(spec, 'initContainers')].find(({ name }) => name === wanted);
  if (!found) throw new ApiError('BadRequest', `container ${wanted} is not valid for pod ${path.name}`);
  return found;
}

function statusOf(pod: Fields, container: string): Fields {
  const status = fieldsOf(pod, 'status');
  const all = [...listOf(status, 'containerStatuses'), ...listOf(status, 'initContainerStatuses')];
  return fieldsOf(
    all.find(({ name }) => name === container),
    'state',
  );
}

function startOf(pod: Fields, container: string): string | undefined {
  const state = statusOf(pod, container);
  return textOf(fieldsOf(state, 'running'), 'startedAt') ?? textOf(fieldsOf(state, 'terminated'), 'startedAt');
}

function waiting({ path }: RequestContext, pod: Fields, container: string): never {
  const reason = textOf(fieldsOf(statusOf(pod, container), 'waiting'), 'reason') ?? 'nothing runs containers on this server';
  throw new ApiError('BadRequest', `container "${container}" in pod "${path.name}" is waiting to start: ${reason}`);
}
