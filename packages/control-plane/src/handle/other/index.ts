import type { ApiRequest, ApiResponse } from '@outrigger/core';
import type { ServerState } from '../context.js';
import { pageNotFound } from '../status-response.js';

export function answerOther(_server: ServerState, _request: ApiRequest): ApiResponse {
  return pageNotFound();
}
