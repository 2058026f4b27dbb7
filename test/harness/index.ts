export { Http } from './http.js';
export type { Caller, Request, Response } from './http.js';
export { attach, startKube } from './kube.js';
export type { KubeOptions, RealKube } from './kube.js';
export { findKubectl } from './kubectl.js';
export type { Component, Connection, OwnedServer, TestServer } from './server.js';
