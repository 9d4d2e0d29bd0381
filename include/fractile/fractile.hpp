// All of the library. Thread-safety: as each header says.
#pragma once

#include "fractile/error.hpp"
#include "fractile/exact.hpp"
#include "fractile/flow.hpp"
#include "fractile/ledger.hpp"
#include "fractile/measurements.hpp"
#include "fractile/pipelines.hpp"
#include "fractile/planning.hpp"
#include "fractile/privacy.hpp"
#include "fractile/publication.hpp"
#include "fractile/ranks.hpp"
#include "fractile/receipts.hpp"
#include "fractile/release.hpp"
#include "fractile/reports.hpp"
#include "fractile/source.hpp"
#include "fractile/version.hpp"
